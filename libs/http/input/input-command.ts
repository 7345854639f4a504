import { Command } from '@nestjs/cqrs';
import type { EventMetadata, AppendOptions, RequestIdempotency } from '#libs/event-sourcing';
import { getInputSchema, type InputClass } from '../validation/rules.js';
import { computeFingerprint } from './read-request.js';

/** Values as a caller gave them. The rules of a command decide about them. */
export type Unchecked<Values> = Readonly<Partial<Record<keyof Values, unknown>>>;

/**
 * A command that takes values from outside. Its properties with rules get the values of the same names; their types hold after
 * `assertValid`, which the handler calls first.
 */
export abstract class InputCommand<Values extends object, Result> extends Command<Result> {
  constructor(
    values: Unchecked<Values>,
    readonly metadata: EventMetadata,
    private readonly idempotency?: RequestIdempotency,
  ) {
    super();
    const given = values as Readonly<Record<string, unknown>>;
    const inputs = this as Record<string, unknown>;
    for (const name of this.inputNames()) inputs[name] = given[name];
  }

  /** Who does it, and the idempotency key with a fingerprint of the values, by which a repeated request is known as the same. */
  get appendOptions(): AppendOptions {
    return { metadata: this.metadata, idempotency: this.idempotency && { ...this.idempotency, fingerprint: this.fingerprint() } };
  }

  /**
   * Inputs that are part of the fingerprint in this order, also if they are not given. Only for commands whose stored keys have such
   * fingerprints; of all others only what is given counts, so that an optional input can be added.
   */
  protected fixedInputs(): readonly string[] {
    return [];
  }

  private fingerprint(): string {
    const fixed = this.fixedInputs();
    const added = this.inputNames().filter((name) => !fixed.includes(name));
    const read = (name: string) => this[name as keyof this];
    return computeFingerprint(fixed.map(read), Object.fromEntries(added.map((name) => [name, read(name)])));
  }

  private inputNames(): string[] {
    return Object.keys(getInputSchema(this.constructor as InputClass).properties);
  }
}
