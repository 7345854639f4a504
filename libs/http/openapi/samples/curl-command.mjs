/** A word of a POSIX shell that stands for the text itself. */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function methodOf({ method, body }) {
  if (method === 'HEAD') return '--head ';
  return method === (body === undefined ? 'GET' : 'POST') ? '' : `-X ${method} `;
}

/**
 * The request as a command for a POSIX shell. The key is taken from a variable of the environment, so the command can be shown and kept.
 * Both the service and the reference page in a browser make commands of it.
 */
export function curlCommand(request, keyVariable) {
  const { url, headers, body, needsKey } = request;
  return [
    `curl ${methodOf(request)}${quoted(url)}`,
    ...(needsKey ? [`-H "Authorization: Bearer $${keyVariable}"`] : []),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ');
}
