import { explainErrors, type ErrorDefinition } from '#libs/observability';

/** Renders every error code in Markdown, below a heading of its name. @param errors those of the modules and of a proxy */
export function renderErrorCodes(errors: readonly ErrorDefinition[]): string {
  return explainErrors(errors)
    .map(({ code, status, meaning, remedy }) => `### ${code}\n\nStatus ${status}. ${meaning}\n\n**What to do:** ${remedy}\n`)
    .join('\n');
}
