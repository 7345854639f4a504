import type { Setting } from '#libs/http';
import type { SettingGroup } from '../config/index.js';
import { renderTable } from './generated-part.js';

const INTRODUCTION =
  '# Copy this to .env and change what you need: here stand the defaults. Instead of NAME, NAME_FILE may name a file with its value.';

/** Renders `.env.example`. */
export function renderEnvironmentExample(settings: readonly Setting[]): string {
  const entries = settings.map(
    ({ variable, default: usual = '', description }) => `# ${description.replaceAll('`', '')}\n${variable}=${usual}\n`,
  );
  return [`${INTRODUCTION}\n`, ...entries].join('\n');
}

/** Renders a section with a table for each group of variables. */
export function renderVariableTables(groups: readonly SettingGroup[]): string {
  return groups.map(({ title, settings }) => `## ${title}\n\n${renderVariables(settings)}`).join('\n');
}

function renderVariables(settings: readonly Setting[]): string {
  const rows = settings.map(({ variable, default: usual, description }) => [
    `\`${variable}\``,
    usual ? `\`${usual}\`` : 'none',
    description,
  ]);
  return renderTable(['variable', 'default', 'what it does'], rows);
}
