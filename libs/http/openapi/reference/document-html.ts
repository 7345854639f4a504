import { html, type Html } from '#libs/observability';

/** What stands on a page of the documentation. */
export interface DocumentPage {
  /** What the browser calls it. */
  readonly title: string;
  readonly header: Html;
  readonly main: Html;
  /** The path of its script, a module, and what its attributes `data-…` tell that; none where it is only read. */
  readonly script?: { readonly path: string; readonly data: Readonly<Record<string, string>> };
}

/** A page of the documentation, whole. */
export function documentHtml({ title, header, main, script }: DocumentPage): string {
  const data = Object.entries(script?.data ?? {}).map(([name, value]) => html` data-${name}="${value}"`);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="stylesheet" href="/docs/reference.css" />
        <link rel="icon" type="image/svg+xml" href="/docs/icon.svg" />
        ${script && html`<script src="${script.path}" type="module"></script>`}
      </head>
      <body${data}>
        <header>${header}</header>
        <main>${main}</main>
      </body>
    </html>`;
  // Only what is shown as it stands keeps its white space.
  return `${page.text.replaceAll(/(<(pre|textarea)\b[^]*?<\/\2\s*>)|\s*\n\s*/g, (_all, kept: string | undefined) => kept ?? '\n')}\n`;
}
