import type { Setting } from '#libs/http';

const INTRODUCTION =
  '# Copy this to .env and change what you need: here stand the defaults. Instead of NAME, NAME_FILE may name a file with its value.';
const TABLE = /^\| variable .*\n(?:\|.*\n)+/m;

/** Renders `.env.example`. */
export function renderEnvironmentExample(settings: readonly Setting[]): string {
  const entries = settings.map(
    ({ variable, default: usual = '', description }) => `# ${description.replaceAll('`', '')}\n${variable}=${usual}\n`,
  );
  return [`${INTRODUCTION}\n`, ...entries].join('\n');
}

/** Returns the README with its table of variables made anew. @throws Error if it has none */
export function replaceVariableTable(readme: string, settings: readonly Setting[]): string {
  const rows = settings.map(({ variable, default: usual, description }) => {
    const cells = [`\`${variable}\``, usual ? `\`${usual}\`` : 'none', description.replaceAll('|', '\\|')];
    return `| ${cells.join(' | ')} |\n`;
  });
  if (!TABLE.test(readme)) throw new Error('README.md has no table of variables.');
  return readme.replace(TABLE, () => ['| variable | default | what it is |\n', '| --- | --- | --- |\n', ...rows].join(''));
}
