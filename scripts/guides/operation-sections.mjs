/** Returns what the search finds of the operations of an OpenAPI document: the places on the reference page that describe them. */
export function operationSections({ paths, servers }, referencePage) {
  const prefix = new URL(servers[0].url, 'http://localhost').pathname;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([
        method,
        {
          tags: [tag],
          summary,
          description,
          operationId,
        },
      ]) => ({
        // As Swagger UI names it.
        url: `${referencePage}#/${tag}/${operationId}`,
        title: summary,
        page: `${method.toUpperCase()} ${prefix}${path}`,
        // With the words of its name, such as `place order`.
        text: `${operationId} ${operationId.replaceAll(/(?=[A-Z])/g, ' ')} ${description}`,
      }),
    ),
  );
}
