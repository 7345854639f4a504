/** The path of the page on which every error code is explained, each at an anchor of its name. */
export const ERRORS_PAGE = '/docs/errors';

const HELP_LINK = /(?:, )?<[^>]*>; rel="help"/;

/**
 * The value of `Link` (RFC 8288) for an answer with an error code: what it names already, and the explanation of the code, once.
 * @param link the value that the answer has so far
 */
export function linkWithHelp(link: number | string | string[] | undefined, code: string): string {
  // An error may take the place of another one that was not sent yet.
  const others = [link ?? []].flat().join(', ').replace(HELP_LINK, '');
  return `${others === '' ? '' : `${others}, `}<${ERRORS_PAGE}#${code}>; rel="help"`;
}
