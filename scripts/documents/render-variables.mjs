import { renderTable } from './render-table.mjs';

const INTRODUCTION =
  '# Copy this to .env and change what you need: here stand the defaults. Instead of NAME, NAME_FILE may name a file with its value.';

/** Renders `.env.example`. */
export function renderEnvironmentExample(settings) {
  const entries = settings.map(
    ({ variable, default: usual = '', description }) => `# ${description.replaceAll('`', '')}\n${variable}=${usual}\n`,
  );
  return [`${INTRODUCTION}\n`, ...entries].join('\n');
}

/** Renders a section with a table for each group of variables. */
export function renderVariableTables(groups) {
  return groups.map(({ title, settings }) => `## ${title}\n\n${renderVariables(settings)}`).join('\n');
}

function renderVariables(settings) {
  const rows = settings.map(({ variable, default: usual, description }) => [
    `\`${variable}\``,
    usual ? `\`${usual}\`` : 'none',
    description,
  ]);
  return renderTable(['variable', 'default', 'what it does'], rows);
}
