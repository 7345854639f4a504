import { Injectable } from '@nestjs/common';
import { PublicEventCatalog } from '#libs/http';

/** The event types that this build sends to endpoints. */
@Injectable()
export class EventTypes {
  readonly names: readonly string[];

  constructor(catalog: PublicEventCatalog) {
    this.names = catalog.types.map(({ as }) => as);
  }
}
