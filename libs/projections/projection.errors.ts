import { ApplicationError } from '#libs/errors';

/** Another build of the same projection was begun and goes on. */
export class BuildOvertakenError extends ApplicationError {
  override readonly name = 'BuildOvertakenError';

  constructor(projection: string) {
    super('service_unavailable', `Another rebuild of ${projection} was started and goes on in place of this one.`);
  }
}

/** The tables are not there: another build removed them, and they are being built anew. */
export class ReadModelMissingError extends ApplicationError {
  override readonly name = 'ReadModelMissingError';

  constructor(projection: string) {
    super('service_unavailable', `The read model ${projection} is being built; try again shortly.`, { headers: { 'retry-after': '1' } });
  }
}
