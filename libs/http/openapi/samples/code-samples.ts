import { curlCommand } from './curl-command.mjs';
import type { SampleRequest } from './sample-request.js';

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
    curl: curlCommand(request, keyVariable),
    JavaScript: javaScript(request, keyVariable),
    Python: python(request, keyVariable),
  };
  return Object.entries(sources).map(([language, source]) => ({ lang: language, label: language, source }));
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
  return `const answer = await fetch(${literal(url)}${options});\nconsole.log(answer.status, ${printed(method, 'await answer.text()', 'answer.headers')});`;
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
    `    print(answer.status, ${printed(method, 'answer.read().decode()', 'answer.headers')})`,
  ].join('\n');
}

/** What is worth seeing of an answer: without a body, its headers. */
function printed(method: string, body: string, headers: string): string {
  return method === 'HEAD' || method === 'OPTIONS' ? headers : body;
}

/** A text in single quotes, as JavaScript and Python both read it: JSON in it stays legible. */
function literal(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}
