import { Controller, Post } from '@nestjs/common';
import type { OperationObject } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { ReadBody, ReadQuery } from '../input/read-request.js';
import { Operation } from '../routes/route-metadata.js';
import { createControllersApp } from '../testing/controllers-app.js';
import { ApiDescription, IsIdList, IsInt64, IsText, IsWholeNumber } from '../validation/rules.js';
import { buildOpenApiDocument, type ServiceDescription } from './openapi-document.js';

const SERVICE: ServiceDescription = {
  title: 'Visits',
  description: '',
  version: '1.0.0',
  credential: 'A key.',
  challenge: 'Bearer realm="visits"',
  keyVariable: 'VISIT_KEY',
  clientPackage: '@own/client',
  sampleServer: 'https://api.example/v1',
  servers: {},
  tags: [],
  errors: [],
  prefix: '/v1',
};

class BookVisit {
  @IsInt64()
  @ApiDescription('The animal.', 17)
  readonly petId!: bigint;

  @IsText(255)
  @ApiDescription('Who comes.', 'Ana')
  readonly name!: string;

  @IsIn(['morning', 'noon'])
  @ApiDescription('When.')
  readonly time!: string;
}

class VisitFilter {
  @IsIdList(9)
  @ApiDescription('Of these.', [1, 2])
  readonly ids!: readonly bigint[];

  @IsWholeNumber(0, 9)
  @ApiDescription('At least as many guests.', 0)
  readonly guests!: number;
}

const visitBody = { type: BookVisit, schema: 'NewVisit', noun: 'a visit', examples: {} };

@Controller('v1/visits')
class VisitsController {
  @Post()
  @Operation({ id: 'bookVisit', summary: 'Book', description: 'Books.', answer: { description: 'It.' } })
  book(@ReadBody(visitBody) values: object, @ReadQuery(VisitFilter) filter: VisitFilter): object {
    return { values, filter };
  }
}

describe('the OpenAPI document', () => {
  let operation: OperationObject | undefined;
  let schemas: object | undefined;

  beforeAll(async () => {
    const { app, adapter } = await createControllersApp({ controllers: [VisitsController] });
    await app.init();
    const { paths, components } = buildOpenApiDocument(adapter.routes, SERVICE);
    operation = paths['/visits']?.post;
    schemas = components?.schemas;
    await app.close();
  });

  it('has the examples that the properties of a command are described with', () => {
    expect(schemas).toMatchObject({
      NewVisit: { properties: { petId: { type: 'integer', examples: [17] }, name: { type: 'string', examples: ['Ana'] } } },
    });
    expect(schemas).not.toHaveProperty('NewVisit.properties.time.examples');
  });

  it('has those of parameters, and samples with them', () => {
    expect(operation?.parameters).toMatchObject([{ schema: { examples: [[1, 2]] } }, { schema: { examples: [0] } }]);
    expect(JSON.stringify(operation)).toContain('https://api.example/v1/visits?ids=1%2C2&guests=0');
  });
});
