import { renderTable } from './render-table.mjs';

const INTRODUCTION = `# Events

Every event type that this build writes, by module. A type keeps its name and its meaning for ever, and stored events stay as they are:
an older schema version is brought to the one here when it is read. Made from the code by \`npm run documents\`; do not edit it.`;

const MEMBERS = {
  text: 'a text',
  'text | null': 'a text, or null',
  int64: 'an int64 as decimal digits in a text',
  number: 'a number',
  boolean: 'true or false',
  time: 'a time, as ISO text in UTC',
  'time | null': 'a time, as ISO text in UTC, or null',
  'text[]': 'a list of texts',
};

/** Renders the page of all event types as Markdown: modules in the order given, types in the order of their definition. */
export function renderEvents(modules) {
  const projections = modules.flatMap((module) => module.projections ?? []);
  const sections = modules.flatMap(({ name, events = {} }) =>
    Object.entries(events).flatMap(([type, definition], index) => [
      ...(index === 0 ? [`## Module \`${name}\``] : []),
      `### \`${type}\``,
      facts(type, definition, projections),
      members(definition),
    ]),
  );
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

function facts(type, { schemaVersion, upcasters = {}, published }, projections) {
  const older = Object.keys(upcasters);
  const readers = projections.filter(({ eventTypes }) => eventTypes.includes(type)).map(({ name }) => `\`${name}\``);
  return [
    `- Schema version ${schemaVersion}${older.length > 0 ? `, to which ${older.join(', ')} is brought when it is read` : ''}.`,
    published ? `- Published as \`${published.as}\`, version ${published.version}.` : '- Not published.',
    ...(readers.length > 0 ? [`- Read by the projection${readers.length > 1 ? 's' : ''} ${readers.join(', ')}.`] : []),
  ].join('\n');
}

function members({ data, secrets = [] }) {
  const rows = Object.entries(data).map(([member, holds]) => {
    const name = member.replace(/\?$/, '');
    const described = typeof holds === 'string' ? MEMBERS[holds] : `one of ${holds.map((value) => `\`${value}\``).join(', ')}`;
    const notes = [...(member.endsWith('?') ? ['may be absent'] : []), ...(secrets.includes(name) ? ['**secret**: never shown'] : [])];
    return [`\`${name}\``, [described, ...notes].join('; ')];
  });
  return rows.length === 0 ? 'Its data has no members.' : renderTable(['member', 'holds'], rows);
}
