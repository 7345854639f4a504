/** An element with its properties or attributes, and children; a text as a child is text, whatever is in it. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Gives an element a text. One that it has already is left alone, so that a selection in it stays. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Gives an element an attribute, or takes it away with null. */
export function setAttribute(target, name, value) {
  if (value === null) target.removeAttribute(name);
  else if (target.getAttribute(name) !== value) target.setAttribute(name, value);
}

/**
 * Keeps the children of an element those of a list. `make` is asked once for each key and gives an element with a function that updates it;
 * elements stay where they are as long as their order allows, so that focus and selection stay.
 */
export function keyedChildren(parent, { keyOf, make }) {
  const kept = new Map();
  return (items, ...context) => {
    const keys = new Set(items.map(keyOf));
    for (const [key, child] of kept) {
      if (keys.has(key)) continue;
      child.element.remove();
      kept.delete(key);
    }
    let place = parent.firstElementChild;
    for (const item of items) {
      const child = kept.get(keyOf(item)) ?? make(item);
      kept.set(keyOf(item), child);
      if (child.element === place) place = place.nextElementSibling;
      else parent.insertBefore(child.element, place);
      child.update(item, ...context);
    }
  };
}

/** A notice that stands where there is nothing to show, with commands that would change that. */
export function notice(text, ...commands) {
  return element('div', { className: 'note' }, element('p', {}, text), ...commands.map((command) => element('code', {}, command)));
}
