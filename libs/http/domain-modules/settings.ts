import { z } from 'zod';

/** Turns the text of a variable into its value. Messages continue a sentence that begins with the variable's name. */
export type SettingKind<Value = unknown> = z.ZodType<Value, string>;

interface SettingOptions {
  /** The text if the variable is not set. Without it, the value is then undefined. */
  readonly default?: string;
  /** For `docs/reference/configuration.md` and `.env.example`: Markdown, without a full stop. */
  readonly description: string;
  /** A text that is a mistake in production; `reason` continues "must not be … in production, ". */
  readonly refusedInProduction?: { readonly text: string; readonly reason: string };
}

/** An environment variable of the service. */
export interface Setting<Value = unknown> extends SettingOptions {
  readonly variable: string;
  readonly kind: SettingKind<Value>;
}

/** Settings by the names that the code of their module uses. */
export type ModuleSettings = Readonly<Record<string, Setting>>;

/** The values of settings, by the same names. */
export type SettingValues<Settings extends ModuleSettings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never;
};

/**
 * Declares an environment variable. Instead of `NAME`, `NAME_FILE` may name a file that holds the value.
 * @param variable its name in capitals, such as `ORDER_RESERVATION_MINUTES`
 */
export function setting<Value>(
  variable: string,
  kind: SettingKind<Value>,
  options: SettingOptions & { readonly default: string },
): Setting<Value>;
export function setting<Value>(variable: string, kind: SettingKind<Value>, options: SettingOptions): Setting<Value | undefined>;
export function setting(variable: string, kind: SettingKind, options: SettingOptions): Setting {
  return { variable, kind, ...options };
}

/** Any text. */
export const text = z.string();

/** A whole number in plain decimal digits. */
export function integer(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^(?:0|[1-9]\d{0,15})$/, error)
    .transform(Number)
    .pipe(z.number().min(minimum, error).max(maximum, error));
}

/** Seconds in plain decimal digits, as milliseconds. */
export function seconds(minimum: number, maximum: number) {
  return integer(minimum, maximum).transform((value) => value * 1_000);
}

/** Hours in plain decimal digits, as milliseconds. */
export function hours(minimum: number, maximum: number) {
  return integer(minimum, maximum).transform((value) => value * 3_600_000);
}

/** Minutes above 0 as a decimal number, as milliseconds, at least one. */
export function minutes(maximum: number) {
  const error = `must be a decimal number above 0 and up to ${maximum}`;
  return z
    .string()
    .regex(/^(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/, error)
    .transform(Number)
    .pipe(z.number().positive(error).max(maximum, error))
    .transform((value) => Math.max(1, Math.round(value * 60_000)));
}

export const trueOrFalse = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');

export function oneOf<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

/** Several values, separated by commas. */
export function list<Value>(entry: SettingKind<Value>, minimum = 0) {
  return z
    .string()
    .transform(splitList)
    .pipe(z.array(entry).min(minimum, `must list at least ${minimum}, separated by commas`));
}

/** @param parse throws an Error whose message continues the sentence */
export function parsed<Value>(parse: (value: string) => Value) {
  return z.string().transform((value, context) => {
    try {
      return parse(value);
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : String(error));
      return z.NEVER;
    }
  });
}

/** Returns the entries of a list that is separated by commas, without the empty ones. */
export function splitList(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
