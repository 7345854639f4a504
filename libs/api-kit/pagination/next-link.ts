/**
 * The value of a `Link` header (RFC 8288) that points at the next page.
 * @param path an absolute path, such as `/v1/pets`
 * @param parameters the query of the next page in this order; undefined ones are left out
 */
export function nextLink(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.append(name, value);
  }
  return `<${path}?${query.toString()}>; rel="next"`;
}
