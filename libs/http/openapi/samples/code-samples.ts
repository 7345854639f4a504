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

/** One of the `x-codeSamples` of an operation, which reference pages show. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/**
 * A request in curl, in JavaScript as Node and browsers run it, and in Python without further packages. Each prints the body as it is sent,
 * since a parser of JavaScript would lose digits of an int64.
 * @param keyVariable the variable of the environment that holds the API key
 */
export function codeSamples(request: SampleRequest, keyVariable: string): CodeSample[] {
  const sources = {
    curl: curl(request, keyVariable),
    JavaScript: javaScript(request, keyVariable),
    Python: python(request, keyVariable),
  };
  return Object.entries(sources).map(([language, source]) => ({ lang: language, label: language, source }));
}

/** A request by the client package; none for an operation without a statement that sends it. */
export function clientSamples(
  {
    clientPackage,
    sampleServer,
    keyVariable,
  }: { readonly clientPackage: string; readonly sampleServer: string; readonly keyVariable: string },
  statement: string | undefined,
): CodeSample[] {
  if (statement === undefined) return [];
  const source = `import { createClient } from ${literal(clientPackage)};

const client = createClient({ baseUrl: ${literal(sampleServer)}, key: process.env.${keyVariable} ?? '' });
${statement}`;
  return [{ lang: 'TypeScript', label: clientPackage, source }];
}

function curl({ method, url, headers, needsKey, body }: SampleRequest, keyVariable: string): string {
  const option = method === (body === undefined ? 'GET' : 'POST') ? '' : `-X ${method} `;
  return [
    `curl ${option}${shellWord(url)}`,
    ...(needsKey ? [`-H "Authorization: Bearer $${keyVariable}"`] : []),
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${shellWord(body)}`]),
  ].join(' \\\n  ');
}

/** Quotes a text for a POSIX shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function javaScript({ method, url, headers, needsKey, body }: SampleRequest, keyVariable: string): string {
  const members = [
    ...(needsKey ? [`    Authorization: \`Bearer \${process.env.${keyVariable}}\`,`] : []),
    ...headers.map(([name, value]) => `    ${literal(name)}: ${literal(value)},`),
  ];
  const lines = [
    ...(method === 'GET' ? [] : [`  method: ${literal(method)},`]),
    ...(members.length > 0 ? ['  headers: {', ...members, '  },'] : []),
    ...(body === undefined ? [] : [`  body: ${literal(body)},`]),
  ];
  const options = lines.length > 0 ? `, {\n${lines.join('\n')}\n}` : '';
  return `const answer = await fetch(${literal(url)}${options});\nconsole.log(answer.status, await answer.text());`;
}

function python({ method, url, headers, needsKey, body }: SampleRequest, keyVariable: string): string {
  const members = [
    ...(needsKey ? [`        "Authorization": "Bearer " + os.environ["${keyVariable}"],`] : []),
    ...headers.map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
  ];
  return [
    ...(needsKey ? ['import os'] : []),
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${JSON.stringify(url)},`,
    `    method=${JSON.stringify(method)},`,
    ...(members.length > 0 ? ['    headers={', ...members, '    },'] : []),
    ...(body === undefined ? [] : [`    data=${literal(body)}.encode(),`]),
    ')',
    'with urlopen(request) as answer:',
    '    print(answer.status, answer.read().decode())',
  ].join('\n');
}

/** A text in single quotes, as JavaScript and Python both read it: JSON in it stays legible. */
function literal(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}
