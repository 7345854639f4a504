import type { OperationObject, ParameterObject, SchemaObject } from '@nestjs/swagger';

/** A request that an operation takes, with values that serve as an example. */
export interface SampleRequest {
  /** In capitals. */
  readonly method: string;
  readonly url: string;
  /** Beside `Authorization`, which a request that needs a key has. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly needsKey: boolean;
  readonly body?: string;
}

/**
 * The shortest request that an operation takes: with what it requires, and the first example of its body.
 * @param address where the operation is, with its template: `https://api.example/v1/pets/{petId}`
 */
export function sampleRequest(method: string, address: string, operation: OperationObject): SampleRequest {
  const required = (operation.parameters ?? []).filter((part): part is ParameterObject => 'in' in part && part.required === true);
  const valuesIn = (place: string) => required.filter((parameter) => parameter.in === place).map(namedExample);
  const query = new URLSearchParams(valuesIn('query')).toString();
  const path = new Map(valuesIn('path'));
  const url = address.replaceAll(/\{(\w+)\}/g, (template, name: string) => encodeURIComponent(path.get(name) ?? template));
  const body = firstBody(operation);
  return {
    method: method.toUpperCase(),
    url: query ? `${url}?${query}` : url,
    headers: [...(body ? [['Content-Type', body.mediaType] as const] : []), ...valuesIn('header')],
    needsKey: (operation.security ?? []).length > 0,
    ...(body && { body: JSON.stringify(body.value) }),
  };
}

function namedExample(parameter: ParameterObject): [string, string] {
  const schema: SchemaObject = parameter.schema && !('$ref' in parameter.schema) ? parameter.schema : {};
  const examples = (schema as { readonly examples?: readonly unknown[] }).examples ?? [];
  const given: unknown = parameter.example ?? examples[0] ?? schema.enum?.[0];
  if (typeof given === 'string' || typeof given === 'number') return [parameter.name, String(given)];
  return [parameter.name, schema.type === 'integer' ? '1' : 'text'];
}

function firstBody({ requestBody }: OperationObject): { readonly mediaType: string; readonly value: unknown } | undefined {
  if (!requestBody || '$ref' in requestBody) return undefined;
  const [[mediaType, { examples = {} }] = ['', {}]] = Object.entries(requestBody.content);
  const [example] = Object.values(examples);
  return example && 'value' in example ? { mediaType, value: example.value } : undefined;
}
