import { Module, type DynamicModule } from '@nestjs/common';
import { minutes, setting, type SettingValues } from '#libs/http';
import { PetsModule } from '../pets/index.js';
import { ReservedPets } from './commands/reserved-pets.js';
import { OrderExpiry, TransitionOrderHandler } from './commands/transition-order.command.js';
import { PlaceOrderHandler, RESERVATION } from './commands/place-order.command.js';
import { OrdersResolver, PetOrdersResolver } from './graphql/orders.resolver.js';
import { OrderMetrics } from './orders.metrics.js';
import {
  CountOrdersHandler,
  CountOrdersOfPetsHandler,
  ListOrderCountsHandler,
  FindOrdersOfPetsHandler,
  GetOrderHandler,
  ListOrdersHandler,
} from './queries/orders.query.js';
import { OrderReader } from './read-model/order.reader.js';
import { InventoryController, OrdersController } from './rest/orders.controller.js';

export const orderSettings = {
  /** In milliseconds. */
  reservation: setting('ORDER_RESERVATION_MINUTES', minutes(525_600), {
    default: '1440',
    description: 'How many minutes an order holds its animal until it is approved; a decimal number such as 0.5',
  }),
};

const commandHandlers = [PlaceOrderHandler, TransitionOrderHandler];
const queryHandlers = [
  GetOrderHandler,
  ListOrdersHandler,
  FindOrdersOfPetsHandler,
  CountOrdersHandler,
  CountOrdersOfPetsHandler,
  ListOrderCountsHandler,
];
const resolvers = [OrdersResolver, PetOrdersResolver];

/** The orders over REST and GraphQL. */
@Module({})
export class OrdersModule {
  static forRoot({ reservation }: SettingValues<typeof orderSettings>): DynamicModule {
    return {
      module: OrdersModule,
      imports: [PetsModule],
      controllers: [OrdersController, InventoryController],
      providers: [
        { provide: RESERVATION, useValue: reservation },
        OrderReader,
        OrderMetrics,
        ReservedPets,
        OrderExpiry,
        ...commandHandlers,
        ...queryHandlers,
        ...resolvers,
      ],
    };
  }
}
