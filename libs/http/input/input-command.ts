import { Command } from '@nestjs/cqrs';
import { getMetadataStorage } from 'class-validator';
import type { EventMetadata, AppendOptions, RequestIdempotency } from '#libs/event-sourcing';
import type { FieldError } from '#libs/observability';
import { assertValid, inputNames, pick, type InputClass } from '../validation/rules.js';
import { computeFingerprint } from './read-request.js';

/** Values as a caller gave them. The rules of a command decide about them. */
export type Unchecked<Values> = Readonly<Partial<Record<keyof Values, unknown>>>;

/**
 * Returns the values that the rules of a class name.
 * @param errors other errors, one a field
 * @throws InvalidValuesError `invalid_request` that names every wrong value
 */
export function toValid<Values extends object>(type: new () => Values, given: Unchecked<NoInfer<Values>>, errors?: readonly FieldError[]) {
  const input = Object.assign(new type(), pick(given, inputNames(type)));
  assertValid(input, errors);
  return pick(input, inputNames(type));
}

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
    for (const name of inputNames(this.constructor as InputClass)) inputs[name] = given[name];
  }

  /** The inputs alone. */
  get values(): Values {
    return pick(this as object as Values, inputNames(this.constructor as InputClass<Values>)) as Values;
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
    const values = this.values as Readonly<Record<string, unknown>>;
    const added = Object.entries(values).filter(([name]) => !fixed.includes(name));
    return computeFingerprint(
      fixed.map((name) => values[name]),
      Object.fromEntries(added),
    );
  }
}

type InputCommandOf<Values extends object> = abstract new <Result>(
  ...given: ConstructorParameters<typeof InputCommand<Values, Result>>
) => InputCommand<Readonly<Values>, Result> & Values;

/** Returns the base class of a command whose inputs are the properties of a class with rules, also one that Nest's mapped types return. */
export function inputCommand<Values extends object>(type: InputClass<Values>): InputCommandOf<Values> {
  abstract class CommandOfType<Result> extends InputCommand<Values, Result> {}
  const storage = getMetadataStorage();
  for (const rule of storage.getTargetValidationMetadatas(type, '', false, false)) {
    storage.addValidationMetadata(Object.assign({}, rule, { target: CommandOfType }));
  }
  return CommandOfType as InputCommandOf<Values>;
}
