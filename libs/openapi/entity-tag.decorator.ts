import { ApiHeader } from '@nestjs/swagger';

/** The operation answers conditionally: 304 while the client's copy is still right. */
export function AcceptsEntityTag(): MethodDecorator {
  return ApiHeader({
    name: 'If-None-Match',
    required: false,
    description:
      'Entity tags of copies that the client has; when one still holds, the answer is 304 without a body (RFC 9110 section 13.1.2).',
    schema: { type: 'string' },
  });
}
