import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type HeadersObject, type ReferenceObject } from '@nestjs/swagger';
import { errorReference, errorResponse, GENERAL_REFUSALS, type ErrorStatus } from './error-responses.js';
import { generalHeaders } from './headers.js';

export interface DescribedAnswer {
  readonly status: 200 | 201 | 304;
  readonly description: string;
  /** Those beside the general ones. */
  readonly headers: HeadersObject;
  /** Without one the answer has no body. */
  readonly content?: { readonly schema: ReferenceObject; readonly examples: Readonly<Record<string, { readonly value: unknown }>> };
}

/** The operation gives this answer when all is well. */
export function Answers({ status, description, headers, content }: DescribedAnswer): MethodDecorator {
  return ApiResponse({
    status,
    description,
    headers: { ...generalHeaders, ...headers },
    ...(content && { content: { 'application/json': content } }),
  });
}

/** The operation refuses requests with these statuses, in the form all operations share. */
export function Refuses(...statuses: readonly ErrorStatus[]): MethodDecorator {
  return applyDecorators(...statuses.map((status) => ApiResponse({ status, ...errorReference(status) })));
}

/** The operation refuses requests with these statuses and sends further headers with them. */
export function RefusesWith(headers: HeadersObject, ...statuses: readonly ErrorStatus[]): MethodDecorator {
  return applyDecorators(...statuses.map((status) => ApiResponse({ status, ...errorResponse(status, headers) })));
}

/** The refusals that any operation may give, whatever it does, but for those that it describes on its own. */
export function RefusesInGeneral(...described: readonly ErrorStatus[]): MethodDecorator {
  return Refuses(...([405, 406, ...GENERAL_REFUSALS] as const).filter((status) => !described.includes(status)));
}
