import type { PublishedForm } from '#libs/event-store';
import { testEventType, type DescribedEventType, type PublicResource } from './public-event.js';

/** What modules publish, put together. */
export interface PublicEventDefinitions {
  /** The published event types, each by its stored name. */
  readonly publishedForms: ReadonlyMap<string, PublishedForm>;
  readonly publicResources: readonly PublicResource[];
}

/** An event type as its receivers know it. */
export interface PublicEventType extends DescribedEventType {
  /** The name under which it is stored. */
  readonly stored: string;
  readonly resource: PublicResource;
}

const SUBJECT = /^([a-z-]+)\/([1-9]\d{0,18})$/;

/** The catalogue of the events that leave the service, apart from the stored ones. */
export class PublicEventCatalog {
  /** In the order in which modules define them. */
  readonly types: readonly PublicEventType[];
  /** The message that tries a webhook endpoint. It is none of the types: nothing of it is in the log. */
  readonly test: DescribedEventType;
  private readonly byName: ReadonlyMap<string, PublicEventType>;
  private readonly byStored: ReadonlyMap<string, PublicEventType>;

  private readonly resources: readonly PublicResource[];
  private address: string;

  /**
   * @param source the address under which the paths of the interface are, the same on all instances of a deployment
   * @throws Error for a type of a category that nobody publishes
   */
  constructor({ publishedForms, publicResources }: PublicEventDefinitions, source: string) {
    this.address = source;
    this.resources = publicResources;
    const schemaAddress = ({ as, version }: PublishedForm): string => `${this.address.replace(/\/v\d+$/, '')}/schemas/${as}/${version}`;
    this.test = {
      ...testEventType,
      get dataschema() {
        return schemaAddress(testEventType);
      },
    };
    this.types = [...publishedForms].map(([stored, form]) => ({
      ...form,
      stored,
      resource: findResource(form, publicResources),
      get dataschema() {
        return schemaAddress(form);
      },
    }));
    this.byName = new Map(this.types.map((type) => [type.as, type]));
    this.byStored = new Map(this.types.map((type) => [type.stored, type]));
  }

  /** The address under which the paths of the interface are. */
  get source(): string {
    return this.address;
  }

  /** Takes another address: for a deployment without a public one, where it is known once the server listens. */
  moveTo(source: string): void {
    this.address = source;
  }

  /** The type with this name, such as `pet.added`. */
  find(name: string): PublicEventType | undefined {
    return this.byName.get(name);
  }

  /** The type that is stored under this name; undefined for what is not published. */
  findStored(name: string): PublicEventType | undefined {
    return this.byStored.get(name);
  }

  /** What events of a stream tell of, such as `pets/7`; undefined for a stream of another category. */
  subjectOf(stream: string): { readonly subject: string; readonly id: bigint } | undefined {
    const end = stream.lastIndexOf('-');
    const resource = this.resources.find(({ category }) => category === stream.slice(0, end));
    return resource && { subject: `${resource.collection}/${stream.slice(end + 1)}`, id: BigInt(stream.slice(end + 1)) };
  }

  /** The stream of a subject such as `pets/7`; undefined for what can be no subject. */
  streamOf(subject: string): string | undefined {
    const [, collection, id] = SUBJECT.exec(subject) ?? [];
    const resource = this.resources.find((each) => each.collection === collection);
    return resource && `${resource.category}-${id}`;
  }
}

/** The category of the streams whose events are published in this form. */
export function publishedCategory({ as }: PublishedForm): string {
  return as.slice(0, as.indexOf('.'));
}

function findResource(form: PublishedForm, resources: readonly PublicResource[]): PublicResource {
  const resource = resources.find(({ category }) => category === publishedCategory(form));
  if (!resource) throw new Error(`Nobody publishes the streams of ${form.as}.`);
  return resource;
}
