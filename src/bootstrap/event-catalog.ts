import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DomainModule } from '#libs/http';
import type { EventDefinitions, EventMember } from '#libs/event-sourcing';

type Definition = EventDefinitions[string];

const INTRODUCTION = `# Events

Every event type that this build writes, by module. A type keeps its name and its meaning for ever, and stored events stay as they are:
an older schema version is brought to the one here when it is read. Made from the code by \`npm run documents\`; do not edit it.`;

const MEMBERS: Readonly<Record<Extract<EventMember, string>, string>> = {
  text: 'a text',
  'text | null': 'a text, or null',
  int64: 'an int64 as decimal digits in a text',
  number: 'a number',
  boolean: 'true or false',
  time: 'a time, as ISO text in UTC',
  'time | null': 'a time, as ISO text in UTC, or null',
  'text[]': 'a list of texts',
};

/**
 * Renders the page of all event types as Markdown: modules in the order given, types in the order of their definition.
 * @param sources the texts of source files by path, to find where an event is emitted and handled
 */
export function renderEventCatalog(
  modules: readonly Pick<DomainModule, 'name' | 'events' | 'projections'>[],
  sources: ReadonlyMap<string, string>,
): string {
  const sections = modules.flatMap(({ name, events = {} }) =>
    Object.entries(events).map(([type, definition], index) => {
      // An event has its data after its type; a type literal ends there.
      const emitters = filesWith(new RegExp(`\\btype: '${type}',`), sources);
      const projections = modules.flatMap((module) =>
        (module.projections ?? [])
          .filter(({ eventTypes }) => eventTypes.includes(type))
          .map((projection) => `the projection \`${projection.name}\` of \`${module.name}\``),
      );
      // The types of a follower are a list.
      const handlers = [...projections, ...filesWith(new RegExp(`(?:\\bcase|[!=]==) '${type}'|\\btypes = \\[[^\\]]*'${type}'`), sources)];
      const facts = [
        versionFact(definition),
        publicationFact(definition),
        `- Emitted by ${listed(emitters)}.`,
        `- Handled by ${listed(handlers)}.`,
      ];
      const section = [`### \`${type}\``, facts.join('\n'), members(definition)];
      return [...(index === 0 ? [`## Module \`${name}\``] : []), ...section].join('\n\n');
    }),
  );
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

/** Reads the source files in a folder, without tests, by their paths from the root. */
export function readSources(root: string, folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const paths = names
    .filter((name) => name.endsWith('.ts') && !/\.(?:spec|fixture)\.ts$/.test(name))
    .map((name) => [folder, ...name.split(/[\\/]/)].join('/'))
    .sort();
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

function filesWith(pattern: RegExp, sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([path, text]) => (pattern.test(text) ? [asCode(path)] : []));
}

function versionFact({ schemaVersion, upcasters = {} }: Definition): string {
  const older = Object.keys(upcasters);
  return `- Schema version ${schemaVersion}${older.length > 0 ? `, to which ${older.join(', ')} is brought when it is read` : ''}.`;
}

function publicationFact({ published }: Definition): string {
  return published ? `- Published as ${asCode(published.as)}, version ${published.version}.` : '- Not published.';
}

function listed(items: readonly string[]): string {
  return items.length > 0 ? items.join(', ') : 'nobody';
}

function members({ data, secrets = [] }: Definition): string {
  const rows = Object.entries(data).map(([member, holds]) => {
    const name = member.replace(/\?$/, '');
    const notes = [...(member.endsWith('?') ? ['may be absent'] : []), ...(secrets.includes(name) ? ['**secret**: never shown'] : [])];
    return `| \`${name}\` | ${[describeMember(holds), ...notes].join('; ')} |`;
  });
  return rows.length === 0 ? 'Its data has no members.' : ['| member | holds |', '| --- | --- |', ...rows].join('\n');
}

function describeMember(holds: EventMember): string {
  return typeof holds === 'string' ? MEMBERS[holds] : `one of ${holds.map(asCode).join(', ')}`;
}

function asCode(text: string): string {
  return `\`${text}\``;
}
