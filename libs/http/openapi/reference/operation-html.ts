import type { HeaderObject, ReferenceObject, ResponseObject } from '@nestjs/swagger';
import type { CodeSample } from '../samples/code-samples.js';
import type { DescribedDocument } from './described-document.js';
import { html, type Html } from '#libs/observability';
import { inlineMarkdown, markdown } from './markdown.js';
import { indented, requestHtml, type PlacedOperation } from './request-html.js';
import { schemaHtml } from './schema-html.js';

type Answer = readonly [status: string, response: ResponseObject];

/** What can be asked of an operation, how, and what it answers; closed until somebody opens it. */
export function operationHtml(document: DescribedDocument, placed: PlacedOperation, triesOut: boolean): Html {
  const { method, path, operation } = placed;
  const { operationId = '', summary = '', description = '', deprecated, responses } = operation;
  const answers = Object.entries(responses).flatMap(([status, response]): Answer[] =>
    response ? [[status, document.resolve<ResponseObject>(response)]] : [],
  );
  const { 'x-stability': stability, 'x-codeSamples': samples = [] } = operation as {
    readonly 'x-stability'?: string;
    readonly 'x-codeSamples'?: readonly CodeSample[];
  };
  return html`<details class="operation" id="${operationId}" data-operation="${operationId}">
    <summary>
      <span class="method ${method.toLowerCase()}">${method}</span>
      <h3><code class="path">${path}</code> <span class="says">${summary}</span></h3>
      ${stability && html`<span class="mark">${stability}</span>`}${deprecated && html`<span class="mark">deprecated</span>`}
    </summary>
    <div class="inside">
      ${markdown(description)}
      <div class="columns">
        <div>${requestHtml(document, placed, triesOut)}</div>
        <div>
          ${samplesHtml(operationId, samples, triesOut)}${triesOut && html`<div class="result" aria-live="polite"></div>`}
          <h4>Answers</h4>
          ${answers.filter(([status]) => status < '400').map((answer) => answerHtml(document, answer))}
          ${refusalsHtml(answers.filter(([status]) => status >= '400'))}
        </div>
      </div>
    </div>
  </details>`;
}

/** Each sample under its language, one open at a time. What is tried out is shown as the first of them. */
function samplesHtml(id: string, samples: readonly CodeSample[], triesOut: boolean): Html {
  return html`<h4>Request</h4>
    ${samples.map(
      ({ label, source }, index) =>
        html`<details class="sample" name="${id}-samples" ${index === 0 && html`open`}>
          <summary>${label}</summary>
          <pre tabindex="0" data-sample="${label}" ${index === 0 && triesOut && html`data-live`}>${source}</pre>
        </details>`,
    )}`;
}

function answerHtml(document: DescribedDocument, [status, { description, headers = {}, content = {} }]: Answer): Html {
  const representations = Object.entries(content);
  return html`<div class="answer">
    <p><strong>${status}</strong> ${inlineMarkdown(description)}</p>
    ${representations.map(([mediaType, { schema, examples = {} }], index) => {
      const [example] = Object.values(examples);
      const value: unknown = example && document.resolve(example).value;
      return html`${representations.length > 1 && html`<p class="kind">${mediaType}</p>`}
      ${value !== undefined && index === 0 && html`<pre tabindex="0">${indented(value)}</pre>`}
      ${
        schema &&
        html`<details>
          <summary>Members</summary>
          <div class="bounded" tabindex="0">${schemaHtml(document, schema)}</div>
        </details>`
      }`;
    })}
    ${headersHtml(document, headers)}
  </div>`;
}

function headersHtml(document: DescribedDocument, headers: Readonly<Record<string, HeaderObject | ReferenceObject>>): Html | undefined {
  const described = Object.entries(headers).map(([name, header]) => [name, document.resolve<HeaderObject>(header)] as const);
  if (described.length === 0) return undefined;
  return html`<details>
    <summary>${described.length} headers</summary>
    <ul class="members bounded" tabindex="0">
      ${described.map(([name, { description = '' }]) => html`<li><code class="name">${name}</code> ${inlineMarkdown(description)}</li>`)}
    </ul>
  </details>`;
}

/** All refusals in one group: most are the same everywhere. */
function refusalsHtml(refusals: readonly Answer[]): Html | undefined {
  if (refusals.length === 0) return undefined;
  return html`<details class="errors">
    <summary>${refusals.length} errors</summary>
    <ul class="members bounded" tabindex="0">
      ${refusals.map(([status, { description, content = {} }]) => {
        const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
        return html`<li>
          <strong>${status}</strong> ${inlineMarkdown(description)}
          <div class="kind">${codes.map((code, index) => html`${index > 0 && ', '}<code>${code}</code>`)}</div>
        </li>`;
      })}
    </ul>
  </details>`;
}
