import type { DomainEvent } from './event.js';
import type { EventDefinition } from './event-registry.js';

/**
 * What a member of an event's data holds: a text, an int64 as decimal digits in a text, a number, a time as ISO text, texts, or one of
 * some words.
 */
export type EventMember = 'text' | 'text | null' | 'int64' | 'number' | 'time' | 'time | null' | 'text[]' | readonly string[];

/** The members of an event's data by name. One whose name ends in `?` may be absent. */
export type EventData = Readonly<Record<string, EventMember>>;

/** The form in which an event leaves the service, which is kept while the stored form may change. */
export interface PublishedForm {
  /** Its type for others, such as `pet.added`: the category of its streams, and what happened. */
  readonly as: string;
  /** The version of the form of its data, from 1. Another form is another version. */
  readonly version: number;
  /** What has happened, as a sentence for its receivers. */
  readonly description: string;
}

/** What a module says of one of its event types. */
export interface ModuleEventDefinition extends Omit<EventDefinition, 'type'> {
  readonly data: EventData;
  /** The form in which others learn of it; false where it never leaves the service. */
  readonly published: PublishedForm | false;
}

/** The event types of a module by their stable names, such as `pet-added`, with the form of their data as it is written today. */
export type EventDefinitions = Readonly<Record<string, ModuleEventDefinition>>;

type MemberValue<Member> = Member extends 'number'
  ? number
  : Member extends 'text[]'
    ? readonly string[]
    : Member extends readonly (infer Word)[]
      ? Word
      : Member extends 'text | null' | 'time | null'
        ? string | null
        : string;

type DataOf<Data> = { readonly [Name in keyof Data as Name extends `${string}?` ? never : Name]: MemberValue<Data[Name]> } & {
  readonly [Name in keyof Data as Name extends `${infer Optional}?` ? Optional : never]?: MemberValue<Data[Name]>;
};

/** The events that definitions, written `as const`, describe; one type of them when named. */
export type EventsOf<Definitions extends EventDefinitions, Type extends keyof Definitions & string = keyof Definitions & string> = {
  [Each in Type]: DomainEvent<Each, DataOf<Definitions[Each]['data']>>;
}[Type];

/** The names of the types that definitions describe. */
export function typesOf<Definitions extends EventDefinitions>(events: Definitions): (keyof Definitions & string)[] {
  return Object.keys(events);
}

/** The definitions as the registry takes them. */
export function definitionsOf(events: EventDefinitions): EventDefinition[] {
  return Object.entries(events).map(([type, definition]) => ({ type, ...definition }));
}
