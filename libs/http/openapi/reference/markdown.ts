import { Html, html } from '#libs/observability';

/** The part of Markdown that descriptions use: paragraphs, code and links. */
export function markdown(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${inlineMarkdown(paragraph)}</p>`)}`;
}

/** Code and links of a text that stands in a line. */
export function inlineMarkdown(text: string): Html {
  return new Html(
    html`${text}`.text
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\[([^\]]+)\]\(((?:https?:\/\/|\/|#)[^)\s]*)\)/g, '<a href="$2">$1</a>'),
  );
}
