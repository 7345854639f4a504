import type { OperationObject, ParameterObject, SchemaObject } from '@nestjs/swagger';

/** One of the `x-codeSamples` of an operation, which reference pages show. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** What samples have in common. */
interface SampleOptions {
  /** The server that samples use. */
  readonly sampleServer: string;
  /** The variable of the environment that holds the API key. */
  readonly keyVariable: string;
  readonly clientPackage: string;
}

/** Returns the shortest request that an operation takes, for curl: with what it requires, and the first example of its body. */
export function curlSample(
  method: string,
  path: string,
  operation: OperationObject,
  { sampleServer, keyVariable }: SampleOptions,
): CodeSample {
  const required = (operation.parameters ?? []).filter((part): part is ParameterObject => 'in' in part && part.required === true);
  const valuesIn = (place: string) => required.filter((parameter) => parameter.in === place).map(namedExample);
  const query = new URLSearchParams(valuesIn('query')).toString();
  const filled = valuesIn('path').reduce(
    (url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)),
    `${sampleServer}${path}`,
  );
  const body = firstBody(operation);
  const headers = [...(body ? [['Content-Type', body.mediaType] as const] : []), ...valuesIn('header')];
  const option = method === (body ? 'post' : 'get') ? '' : `-X ${method.toUpperCase()} `;
  const source = [
    `curl ${option}${shellWord(query ? `${filled}?${query}` : filled)}`,
    ...((operation.security ?? []).length > 0 ? [`-H "Authorization: Bearer $${keyVariable}"`] : []),
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${shellWord(JSON.stringify(body.value))}`] : []),
  ].join(' \\\n  ');
  return { lang: 'curl', label: 'curl', source };
}

/** Returns a request by the client package; none for an operation without a statement that sends it. */
export function clientSample(statement: string | undefined, { clientPackage, sampleServer, keyVariable }: SampleOptions): CodeSample[] {
  if (statement === undefined) return [];
  const source = `import { createClient } from '${clientPackage}';

const client = createClient({ baseUrl: '${sampleServer}', key: process.env.${keyVariable} ?? '' });
${statement}`;
  return [{ lang: 'TypeScript', label: clientPackage, source }];
}

function namedExample(parameter: ParameterObject): [string, string] {
  const schema: SchemaObject = parameter.schema && !('$ref' in parameter.schema) ? parameter.schema : {};
  const { examples = [] } = schema as { readonly examples?: readonly unknown[] };
  const given = (parameter.example ?? examples[0] ?? schema.enum?.[0]) as string | readonly string[] | undefined;
  // A list is separated by commas, as the service reads it.
  return [parameter.name, String(given ?? (schema.type === 'integer' ? 1 : 'text'))];
}

function firstBody({ requestBody }: OperationObject): { readonly mediaType: string; readonly value: unknown } | undefined {
  if (!requestBody || '$ref' in requestBody) return undefined;
  const [[mediaType, { examples = {} }] = ['', {}]] = Object.entries(requestBody.content);
  const [example] = Object.values(examples);
  return example && 'value' in example ? { mediaType, value: example.value } : undefined;
}

/** Quotes a text for a POSIX shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
