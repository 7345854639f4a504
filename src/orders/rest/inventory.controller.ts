import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { CacheByProjection, Operation, NoInput } from '#libs/api-kit';
import { RequiresScope } from '../../auth/index.js';
import { CountInventory, type Inventory } from '../queries/orders.query.js';
import { inventorySchema } from './order.request.js';

/** What the store has, over REST. */
@ApiTags('orders')
@RequiresScope('orders')
@Controller('store/inventory')
export class InventoryController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @NoInput()
  @CacheByProjection({ readModel: 'pets' })
  @Operation({
    id: 'getInventory',
    stability: 'experimental',
    summary: 'Count the animals',
    description: 'How many animals have each status, exactly.',
    answer: {
      description: 'The counts.',
      schema: inventorySchema,
      examples: { inventory: { value: { available: 12, pending: 3, sold: 40, unset: 0 } } },
    },
  })
  async getInventory(): Promise<Inventory> {
    return this.queries.execute(new CountInventory());
  }
}
