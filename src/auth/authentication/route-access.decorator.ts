import { Extensions } from '@nestjs/graphql';
import { setHandlerMetadata } from '#libs/api-kit';

/**
 * Lets in whoever has a key with this scope: on a controller or one of its handlers; on a resolver or one of its fields it is asked for
 * beside the scope that the whole query schema needs. What a handler says goes before what its class says.
 */
export function RequiresScope(scope: string): MethodDecorator & ClassDecorator {
  return setHandlerMetadata({ access: { scope } }, Extensions({ scope }));
}

/** Lets in everybody, without a key, within the limits of a client address. On a controller or one of its handlers. */
export function Public(): MethodDecorator & ClassDecorator {
  return setHandlerMetadata({ access: 'public' });
}
