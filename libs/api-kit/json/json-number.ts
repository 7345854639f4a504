/** A number of a JSON text, kept as it was written, so that no digit is lost. */
export class JsonNumber {
  /** @param source the number as RFC 8259 section 6 writes it, such as `9223372036854775807`, `1.50` or `-0` */
  constructor(readonly source: string) {}
}

/** What `parseJson` gives. Objects are plain; a member named `__proto__` is an own property like any other. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | { readonly [name: string]: JsonValue };
