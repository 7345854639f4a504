import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { getName, type DescribedDocument } from './described-document.js';
import { html, type Html } from '#libs/observability';
import { inlineMarkdown } from './markdown.js';

type Schema = SchemaObject | ReferenceObject;

/** Deeper than anybody looks; a schema that holds itself ends there. */
const DEEPEST = 5;

/** The members of a schema, those of its members beneath them. */
export function schemaHtml(document: DescribedDocument, schema: Schema, depth = 0): Html {
  const { properties, required = [], items, description } = document.schema(schema);
  if (depth >= DEEPEST) return html``;
  if (items) return html`${description && html`<p>${inlineMarkdown(description)}</p>`}${schemaHtml(document, items, depth + 1)}`;
  return html`${description && depth < 2 && html`<p>${inlineMarkdown(description)}</p>`}${
    properties &&
    html`<ul class="members">
      ${Object.entries(properties).map(([name, member]) => memberHtml(document, [name, member], required.includes(name), depth))}
    </ul>`
  }`;
}

function memberHtml(document: DescribedDocument, [name, member]: readonly [string, Schema], isRequired: boolean, depth: number): Html {
  const { description, items, properties } = document.schema(member);
  const inner = items && !getName(items) && !document.schema(items).properties ? undefined : (items ?? (properties && member));
  return html`<li>
    <code class="name">${name}</code> <span class="kind">${describeKind(document, member)}${isRequired && ', required'}</span>
    ${description && html`<div>${inlineMarkdown(description)}</div>`}${inner && schemaHtml(document, inner, depth + 2)}
  </li>`;
}

/** What values of a schema are, in a line: `integer (int64), from 1`. */
export function describeKind(document: DescribedDocument, schema: Schema): string {
  const { type, format, items, minimum, maximum, minLength, maxLength, ...rest } = document.schema(schema);
  const fallback: unknown = rest.default;
  const values: readonly unknown[] | undefined = rest.enum;
  const named: string = Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
  return [
    items ? `list of ${describeKind(document, items)}` : `${named}${format ? ` (${format})` : ''}`,
    values && `one of ${values.map(String).join(', ')}`,
    minimum !== undefined && (maximum === undefined ? `from ${minimum}` : `${minimum} to ${maximum}`),
    maxLength !== undefined && `${minLength ?? 0} to ${maxLength} characters`,
    fallback !== undefined && `${JSON.stringify(fallback)} when left out`,
  ]
    .filter((part) => part)
    .join(', ');
}
