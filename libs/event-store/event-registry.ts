import type { RecordedEvent } from './event.js';

/** What the store has to know of an event type. */
export interface EventDefinition {
  /** Stable name, such as `pet-added`; never a class name. */
  readonly type: string;
  /** The schema version written today, from 1. */
  readonly schemaVersion: number;
  /** `upcasters[n]` turns data of schema version n into n + 1. One for each older version. */
  readonly upcasters?: Readonly<Record<number, (data: never) => object>>;
  /** Members of `data` that are never shown outside the store's own readers, such as a key's hash. */
  readonly secrets?: readonly string[];
}

/** The event types of all modules. */
export class EventRegistry {
  private readonly definitions = new Map<string, EventDefinition>();

  /** @throws Error when a type is defined twice or an upcaster is missing. */
  constructor(definitions: readonly EventDefinition[] = []) {
    for (const definition of definitions) {
      if (this.definitions.has(definition.type)) throw new Error(`Event type ${definition.type} is defined twice.`);
      for (let version = 1; version < definition.schemaVersion; version += 1) {
        if (!definition.upcasters?.[version]) throw new Error(`Event type ${definition.type} has no upcaster from version ${version}.`);
      }
      this.definitions.set(definition.type, definition);
    }
  }

  /** All that this build knows, in the order of the modules. */
  types(): readonly string[] {
    return [...this.definitions.keys()];
  }

  /** @throws Error for a type nobody registered: it would be written without a schema version. */
  schemaVersionOf(type: string): number {
    const definition = this.definitions.get(type);
    if (!definition) throw new Error(`Event type ${type} is not registered.`);
    return definition.schemaVersion;
  }

  /** Brings stored data to the newest schema version this build knows; unknown or newer types pass as they are. */
  upcast(type: string, schemaVersion: number, data: object): { schemaVersion: number; data: object } {
    const definition = this.definitions.get(type);
    if (!definition || schemaVersion >= definition.schemaVersion) return { schemaVersion, data };
    let current = data;
    for (let version = schemaVersion; version < definition.schemaVersion; version += 1) {
      const upcaster = definition.upcasters?.[version];
      if (upcaster) current = upcaster(current as never);
    }
    return { schemaVersion: definition.schemaVersion, data: current };
  }

  /**
   * What may be shown of an event's data: the members that are no secrets. It is empty where these cannot be known: for a type of a
   * newer build, and for a newer schema version of a type that has secrets.
   */
  withoutSecrets({ type, schemaVersion, data }: Pick<RecordedEvent, 'type' | 'schemaVersion' | 'data'>): object {
    const definition = this.definitions.get(type);
    if (!definition) return {};
    const { secrets } = definition;
    if (!secrets) return data;
    if (schemaVersion > definition.schemaVersion) return {};
    return Object.fromEntries(Object.entries(data).filter(([member]) => !secrets.includes(member)));
  }
}
