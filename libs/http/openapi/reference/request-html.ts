import type { OperationObject, ParameterObject, RequestBodyObject, ResponseObject } from '@nestjs/swagger';
import type { DescribedDocument } from './described-document.js';
import { html, type Html } from '#libs/observability';
import { inlineMarkdown } from './markdown.js';
import { describeKind, schemaHtml } from './schema-html.js';

/** An operation where the document has it. */
export interface PlacedOperation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** What an operation reads; with `triesOut` as a form that sends it. */
export function requestHtml(document: DescribedDocument, { method, path, operation }: PlacedOperation, triesOut: boolean): Html {
  const parameters = [
    ...(operation.parameters ?? []).map((parameter) => document.resolve<ParameterObject>(parameter)),
    ...representations(document, operation),
  ];
  const body = operation.requestBody && document.resolve<RequestBodyObject>(operation.requestBody);
  const id = operation.operationId ?? '';
  const content = html`${parameters.length > 0 && html`<h4>Parameters</h4>`}
  ${parameters.map((parameter) => parameterHtml(document, id, parameter, triesOut))}${body && bodyHtml(document, id, body, triesOut)}`;
  if (!triesOut) return html`<div class="request">${parameters.length === 0 && !body && html`<p>It reads nothing.</p>`}${content}</div>`;
  return html`<form class="request" data-method="${method}" data-path="${path}" data-needs-key="${(operation.security ?? []).length}">
    ${content}
    <div class="actions"><button class="send">Send</button> <button type="button" class="stop" hidden>Stop</button></div>
  </form>`;
}

/** `Accept`, which the document has as the media types of an answer, where there is a choice. */
function representations(document: DescribedDocument, { responses }: OperationObject): ParameterObject[] {
  const mediaTypes = Object.entries(responses).flatMap(([status, response]) =>
    response && status < '300' ? Object.keys(document.resolve<ResponseObject>(response).content ?? {}) : [],
  );
  if (mediaTypes.length < 2) return [];
  return [{ name: 'Accept', in: 'header', description: 'The form of the answer.', schema: { type: 'string', enum: mediaTypes } }];
}

function parameterHtml(document: DescribedDocument, id: string, parameter: ParameterObject, triesOut: boolean): Html {
  const field = `${id}-${parameter.in}-${parameter.name}`;
  const schema = parameter.schema ?? {};
  const kind = html`<span class="kind">${parameter.in}, ${describeKind(document, schema)}${parameter.required && ', required'}</span>`;
  const about = parameter.description && html`<p class="about" id="${field}-about">${inlineMarkdown(parameter.description)}</p>`;
  if (!triesOut) return html`<div class="parameter"><code class="name">${parameter.name}</code> ${kind}${about}</div>`;
  const attributes = html`id="${field}" data-in="${parameter.in}" name="${parameter.name}" ${parameter.required && html`required`}
  ${about && html`aria-describedby="${field}-about"`}`;
  const values = document.schema(schema).enum as readonly string[] | undefined;
  return html`<div class="parameter">
    <label for="${field}"><code class="name">${parameter.name}</code> ${kind}</label>
    ${
      values
        ? html`<select ${attributes}>
            <option value="">${parameter.required ? 'Choose one' : 'any'}</option>
            ${values.map((value) => html`<option>${value}</option>`)}
          </select>`
        : html`<input ${attributes} autocomplete="off" spellcheck="false" />`
    }${about}
  </div>`;
}

function bodyHtml(document: DescribedDocument, id: string, { content, required }: RequestBodyObject, triesOut: boolean): Html {
  const mediaTypes = Object.keys(content);
  const [{ schema = {}, examples = {} } = {}] = Object.values(content);
  const texts = Object.entries(examples).map(([name, example]) => [name, indented(document.resolve(example).value)] as const);
  const [[, first] = ['', '']] = texts;
  const members = html`<details>
    <summary>Members of the body</summary>
    <div class="bounded" tabindex="0">${schemaHtml(document, schema)}</div>
  </details>`;
  const heading = html`<h4>Body${!required && ' (may be left out)'}</h4>`;
  if (!triesOut) {
    return html`${heading}
      <p class="kind">${mediaTypes.join(' or ')}</p>
      <pre tabindex="0">${first}</pre>
      ${members}`;
  }
  return html`${heading}
    <div class="choices">
      <select class="media-type" aria-label="Media type of the body">
        ${mediaTypes.map((mediaType) => html`<option>${mediaType}</option>`)}
      </select>
      ${
        texts.length > 1 &&
        html`<select class="example" aria-label="Example of the body">
          ${texts.map(([name, text]) => html`<option value="${text}">${name}</option>`)}
        </select>`
      }
    </div>
    <textarea class="body" id="${id}-body" aria-label="Body" rows="${Math.min(first.split('\n').length + 1, 10)}" spellcheck="false">
${first}</textarea>
    ${members}`;
}

/** A value of an example as JSON on several lines. */
export function indented(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
