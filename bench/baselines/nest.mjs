import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

/** What Nest on Fastify can do: handlers that do nothing, with the answer that the service gave to the same request. */
const answer = JSON.parse(JSON.parse(process.env.ANSWER).body);

class Pets {
  give() {
    return answer;
  }
}
const handler = Object.getOwnPropertyDescriptor(Pets.prototype, 'give');
for (const [name, decorate] of Object.entries({ list: Get(), get: Get(':id'), add: Post() })) {
  const descriptor = { ...handler, value: (...given) => handler.value(...given) };
  Object.defineProperty(Pets.prototype, name, descriptor);
  decorate(Pets.prototype, name, descriptor);
}
Controller('v1/pets')(Pets);

class Service {}
Module({ controllers: [Pets] })(Service);

const app = await NestFactory.create(Service, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.send({ origin: await app.getUrl() });
