import { Module, type DynamicModule } from '@nestjs/common';
import { PetsModule } from '../pets/index.js';
import { OpenOrdersAdapter } from './commands/open-orders-adapter.js';
import { TransitionOrderHandler } from './commands/transition-order.command.js';
import { OrderExpiry } from './commands/order-expiry.js';
import { PlaceOrderHandler, RESERVATION } from './commands/place-order.command.js';
import { OrderFieldsResolver, OrdersResolver, PetOrdersResolver } from './graphql/orders.resolver.js';
import { OrderMetrics } from './orders.metrics.js';
import { CountInventoryHandler, FindOrdersOfPetsHandler, GetOrderHandler, ListOrdersHandler } from './queries/orders.query.js';
import { OrderReader } from './read-model/order.reader.js';
import { InventoryController, OrdersController } from './rest/orders.controller.js';

export interface OrdersModuleOptions {
  /** Milliseconds for which an unapproved order reserves its animal. */
  readonly orderReservation: number;
}

const commandHandlers = [PlaceOrderHandler, TransitionOrderHandler];
const queryHandlers = [GetOrderHandler, ListOrdersHandler, FindOrdersOfPetsHandler, CountInventoryHandler];
const resolvers = [OrdersResolver, OrderFieldsResolver, PetOrdersResolver];

/** The orders over REST and GraphQL. */
@Module({})
export class OrdersModule {
  static forRoot({ orderReservation }: OrdersModuleOptions): DynamicModule {
    return {
      module: OrdersModule,
      imports: [PetsModule],
      controllers: [OrdersController, InventoryController],
      providers: [
        { provide: RESERVATION, useValue: orderReservation },
        OrderReader,
        OrderMetrics,
        OpenOrdersAdapter,
        OrderExpiry,
        ...commandHandlers,
        ...queryHandlers,
        ...resolvers,
      ],
    };
  }
}
