import { type ErrorExplanation, html, type Html } from '#libs/observability';
import { documentHtml } from './document-html.js';
import { inlineMarkdown } from './markdown.js';

/** The page that explains error codes, whole; each at an anchor of its name. */
export function errorsHtml(title: string, errors: readonly ErrorExplanation[]): string {
  return documentHtml({
    title: `${title}: error codes`,
    header: html`<h1>Error codes</h1>
      <p>
        Every refusal of the <a href="/docs">${title}</a> has a <code>code</code>, which never changes its meaning, and a
        <code>Link</code> with <code>rel="help"</code> to its place on this page. Its <code>message</code> tells what was wrong with that
        one request.
      </p>
      <nav aria-label="Error codes">
        <ul class="codes">
          ${errors.map(({ code, status }) => html`<li><span class="kind">${status}</span> <a href="#${code}">${code}</a></li>`)}
        </ul>
      </nav>`,
    main: html`${errors.map(errorHtml)}`,
  });
}

function errorHtml({ code, status, meaning, remedy }: ErrorExplanation): Html {
  return html`<section id="${code}" class="entry">
    <h2><code>${code}</code> <span class="kind">${status}</span></h2>
    <p>${inlineMarkdown(meaning)}</p>
    <p><strong>What to do:</strong> ${inlineMarkdown(remedy)}</p>
  </section>`;
}
