import type { OpenAPIObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';

type Components = Readonly<Record<string, Readonly<Record<string, object>> | undefined>>;

/** A document whose references can be followed. */
export class DescribedDocument {
  constructor(readonly source: OpenAPIObject) {}

  /** What a part is, or what it refers to. @throws Error for a reference to what the document does not define. */
  resolve<Part extends object>(part: Part | ReferenceObject): Part {
    if (!('$ref' in part)) return part;
    const [, , kind = '', name = ''] = part.$ref.split('/');
    const found = (this.source.components as Components | undefined)?.[kind]?.[name];
    if (!found) throw new Error(`The document has no ${part.$ref}.`);
    return found as Part;
  }

  /** A schema with what it takes over by `allOf`. */
  schema(schema: SchemaObject | ReferenceObject): SchemaObject {
    const { allOf = [], ...own } = this.resolve<SchemaObject>(schema);
    const parts = [...allOf.map((part) => this.schema(part)), own];
    return parts.reduce<SchemaObject>(
      (whole, part) => ({ ...whole, ...part, ...(whole.properties && { properties: { ...whole.properties, ...part.properties } }) }),
      {},
    );
  }
}

/** The name under which a reference has what it refers to. */
export function getName(part: object): string | undefined {
  return '$ref' in part && typeof part.$ref === 'string' ? part.$ref.split('/').at(-1) : undefined;
}
