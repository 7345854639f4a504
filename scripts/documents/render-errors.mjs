/** Renders every error code in Markdown, below a heading of its name, in ascending order of status. */
export function renderErrors(errors) {
  const inOrder = [...errors].sort((left, right) => left.status - right.status);
  return inOrder
    .map(({ code, status, description, remedy }) => `### ${code}\n\nStatus ${status}. ${description}\n\n**What to do:** ${remedy}\n`)
    .join('\n');
}
