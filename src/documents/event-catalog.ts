import type { DomainModule } from '#libs/domain-modules';
import type { EventDefinitions, EventMember } from '#libs/event-store';
import type { EventMentions } from './event-mentions.js';

/** What of a module tells of events. */
export type EventfulModule = Pick<DomainModule, 'name' | 'events' | 'projections'>;

type Definition = EventDefinitions[string];

const INTRODUCTION = `# Events

Every event type that this build writes, by module. A type keeps its name and its meaning for ever, and stored events stay as they are:
an older schema version is brought to the one here when it is read. Made from the code by \`npm run documents\`; do not edit it.`;

const MEMBERS: Readonly<Record<Extract<EventMember, string>, string>> = {
  text: 'a text',
  'text | null': 'a text, or null',
  int64: 'an int64 as decimal digits in a text',
  number: 'a number',
  time: 'a time, as ISO text in UTC',
  'time | null': 'a time, as ISO text in UTC, or null',
  'text[]': 'a list of texts',
};

/** The page of all event types, as Markdown: modules in the order given, types in the order of their definition. */
export function renderEventCatalog(modules: readonly EventfulModule[], mentions: ReadonlyMap<string, EventMentions>): string {
  const sections = modules.flatMap(({ name, events = {} }) =>
    Object.entries(events).map(([type, definition], index) => {
      const facts = [
        versionFact(definition),
        publicationFact(definition),
        emitterFact(mentions.get(type)),
        handlerFact(type, mentions.get(type), modules),
      ];
      const section = [`### \`${type}\``, facts.join('\n'), members(definition)];
      return [...(index === 0 ? [`## Module \`${name}\``] : []), ...section].join('\n\n');
    }),
  );
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

function versionFact({ schemaVersion, upcasters = {} }: Definition): string {
  const older = Object.keys(upcasters);
  return `- Schema version ${schemaVersion}${older.length > 0 ? `, to which ${older.join(', ')} is brought when it is read` : ''}.`;
}

function publicationFact({ published }: Definition): string {
  return published ? `- Published as ${asCode(published.as)}, version ${published.version}.` : '- Not published.';
}

function emitterFact(mentions: EventMentions | undefined): string {
  return `- Emitted by ${listOf(mentions?.emitters.map(asCode))}.`;
}

function handlerFact(type: string, mentions: EventMentions | undefined, modules: readonly EventfulModule[]): string {
  const projections = modules.flatMap(({ name, projections: own = [] }) =>
    own.filter(({ eventTypes }) => eventTypes.includes(type)).map((projection) => `the projection \`${projection.name}\` of \`${name}\``),
  );
  return `- Handled by ${listOf([...projections, ...(mentions?.handlers ?? []).map(asCode)])}.`;
}

function listOf(items: readonly string[] = []): string {
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
