import { html, type Html } from '#libs/operations';

/** What stands on a page that is only read. */
export interface ReadPage {
  /** What the browser calls it. */
  readonly title: string;
  readonly header: Html;
  readonly main: Html;
}

/** A page of the documentation that needs no script, whole, in the style of the reference page. */
export function documentHtml({ title, header, main }: ReadPage): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="stylesheet" href="/docs/reference.css" />
        <link rel="icon" type="image/svg+xml" href="/docs/icon.svg" />
      </head>
      <body>
        <header>${header}</header>
        <main>${main}</main>
      </body>
    </html>`;
  return `${page.text.replaceAll(/\s*\n\s*/g, '\n')}\n`;
}
