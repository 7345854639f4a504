// What GraphiQL 3 leaves without a name or with a role that cannot hold what is in it. React sets neither again.
const EDITORS = { '.graphiql-query-editor': 'Query', '.result-window': 'Answer', '.graphiql-editor-tool': 'Variables' };

/** Keeps the changing parts of GraphiQL named for screen readers. `tabList` gets its tabs. */
export function namePartsOf(container, tabList) {
  const nameAll = () => {
    nameEditors(container);
    nameTabs(container, tabList);
  };
  new MutationObserver(nameAll).observe(container, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['class', 'role'],
  });
}

function nameEditors(container) {
  for (const [selector, name] of Object.entries(EDITORS)) {
    for (const field of container.querySelectorAll(`${selector} textarea`)) set(field, 'aria-label', name);
  }
  // By keyboard they scroll only with the focus on them.
  for (const region of container.querySelectorAll('.CodeMirror-scroll')) set(region, 'tabindex', '0');
}

/** A tab is the button that shows it; beside it stand buttons that a list of tabs must not hold. */
function nameTabs(container, tabList) {
  const tabs = [...container.querySelectorAll('.graphiql-tab-button')];
  set(container.querySelector('.graphiql-tabs'), 'role', 'group');
  for (const tab of tabs) {
    const item = tab.closest('.graphiql-tab');
    set(item, 'role', 'presentation');
    item.removeAttribute('aria-selected');
    set(tab, 'role', 'tab');
    set(tab, 'aria-selected', String(item.classList.contains('graphiql-tab-active')));
  }
  set(tabList, 'aria-owns', tabs.map(({ id }) => id).join(' '));
}

function set(element, attribute, value) {
  if (element && element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}
