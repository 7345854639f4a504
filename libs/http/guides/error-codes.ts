import { type ErrorDefinition, Html, html } from '#libs/observability';

/** Renders the explanations of the codes, each at an anchor of its name, below a list of all. */
export function errorEntries(errors: readonly ErrorDefinition[]): Html {
  return html`<ul class="codes">
      ${errors.map(({ code, status }) => html`<li><span class="status">${status}</span> <a href="#${code}">${code}</a></li>`)}
    </ul>
    ${errors.map(
      ({ code, status, description, remedy }) =>
        html`<section id="${code}" class="entry">
          <h3>
            <a class="anchor" href="#${code}"><code>${code}</code> <span class="status">${status}</span></a>
          </h3>
          <p>${inlineMarkdown(description)}</p>
          <p><strong>What to do:</strong> ${inlineMarkdown(remedy)}</p>
        </section>`,
    )}`;
}

/** Returns what the search finds of the codes, in the form of `search.json`. */
export function errorSections(page: string, errors: readonly ErrorDefinition[]): object[] {
  return errors.map(({ code, description, remedy }) => ({ url: `${page}#${code}`, title: code, page: 'Errors', text: `${description} ${remedy}` }));
}

/** Renders code and links within a line. */
function inlineMarkdown(text: string): Html {
  return new Html(
    html`${text}`.text
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\[([^\]]+)\]\(((?:https?:\/\/|\/|#)[^)\s]*)\)/g, '<a href="$2">$1</a>'),
  );
}
