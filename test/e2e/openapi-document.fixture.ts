import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

interface Reference {
  readonly $ref?: string;
}

interface DescribedHeader extends Reference {
  readonly required?: boolean;
  readonly schema?: object;
}

interface Response extends Reference {
  readonly headers?: Readonly<Record<string, DescribedHeader>>;
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly examples?: Readonly<Record<string, object>> }>>;
}

/** As much of an OpenAPI document as answers are held against. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** What a document says of one answer, its references followed. */
export interface DescribedResponse {
  readonly headers: ReadonlyMap<string, DescribedHeader>;
  readonly content: NonNullable<Response['content']>;
}

/** Finds what an OpenAPI document describes, and tells whether values fit its schemas. */
export class DescribedService {
  private readonly ajv = new Ajv2020({
    strict: false,
    // Of the other formats no answer depends on what they say.
    logger: false,
    formats: { 'date-time': (text: string) => RFC_3339.test(text) && !Number.isNaN(Date.parse(text)) },
  });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly templates: readonly (readonly [template: string, pattern: RegExp])[];

  constructor(private readonly document: OpenApiDocument) {
    this.ajv.addSchema(document, 'openapi');
    // A path without parameters goes before one with some.
    const inOrder = Object.keys(document.paths).sort((left, right) => left.split('{').length - right.split('{').length);
    this.templates = inOrder.map((template) => [template, new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`)]);
  }

  templateOf(path: string): string | undefined {
    return this.templates.find(([, pattern]) => pattern.test(path))?.[0];
  }

  /** The answers of an operation by their statuses, and by `default`; undefined where the path has no such method. */
  responsesOf(template: string, method: string): ReadonlyMap<string, DescribedResponse> | undefined {
    const operation = this.document.paths[template]?.[method.toLowerCase()];
    return operation && new Map(Object.entries(operation.responses).map(([status, response]) => [status, this.whole(response)]));
  }

  sharedResponse(name: string): DescribedResponse {
    return this.whole({ $ref: `#/components/responses/${name}` });
  }

  /** What is wrong with a value by a schema, undefined where nothing is. */
  faultOf(schema: object, value: unknown): string | undefined {
    const validate = this.validatorOf(JSON.stringify(schema));
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors);
  }

  private whole(response: Response): DescribedResponse {
    const { headers = {}, content = {} } = this.followed(response);
    return {
      headers: new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), this.followed(header)])),
      content,
    };
  }

  private followed<Part extends Reference>(part: Part): Part {
    if (part.$ref === undefined) return part;
    const [, , section = '', name = ''] = part.$ref.split('/');
    const found = this.document.components[section]?.[name];
    if (!found) throw new Error(`The OpenAPI document has no ${part.$ref}.`);
    return found as Part;
  }

  private validatorOf(schema: string): ValidateFunction {
    // Its references are into the whole document.
    const known =
      this.validators.get(schema) ?? this.ajv.compile(JSON.parse(schema.replaceAll('"#/components', '"openapi#/components')) as object);
    this.validators.set(schema, known);
    return known;
  }
}
