import type { PublishedForm } from '#libs/event-sourcing';
import { testEventType, type DescribedEventType, type PublicResource } from './public-event.js';

/** The published events of all modules. */
export interface PublicEventDefinitions {
  /** The published event types, each by its stored name. */
  readonly publishedForms: ReadonlyMap<string, PublishedForm>;
  readonly publicResources: readonly PublicResource[];
}

export interface PublicEventType extends DescribedEventType {
  /** Its stored name. */
  readonly stored: string;
  readonly resource: PublicResource;
}

const SUBJECT = /^([a-z-]+)\/([1-9]\d{0,18})$/;

/** The public event types. */
export class PublicEventCatalog {
  /** In the order in which modules define them. */
  readonly types: readonly PublicEventType[];
  /** The type of the message that tests a webhook endpoint; it is never in the log. */
  readonly test: DescribedEventType;
  private readonly resources: readonly PublicResource[];

  /**
   * @param source base URL of the API, the same on all instances of a deployment. Set once the server listens if there is no public one
   * @throws Error for a type whose category no module publishes
   */
  constructor(
    { publishedForms, publicResources }: PublicEventDefinitions,
    public source: string,
  ) {
    this.resources = publicResources;
    const findBaseUrl = () => this.source.replace(/\/v\d+$/, '');
    const withAddress = <Type extends PublishedForm>(type: Type) => ({
      ...type,
      get dataschema() {
        return `${findBaseUrl()}/schemas/${type.as}/${type.version}`;
      },
    });
    this.test = withAddress(testEventType);
    this.types = [...publishedForms].map(([stored, form]) =>
      withAddress({ ...form, stored, resource: findResource(form, publicResources) }),
    );
  }

  /** Finds a type by its public name, such as `pet.added`. */
  find(name: string): PublicEventType | undefined {
    return this.types.find(({ as }) => as === name);
  }

  /** Finds a type by its stored name; undefined if it is not published. */
  findStored(name: string): PublicEventType | undefined {
    return this.types.find(({ stored }) => stored === name);
  }

  /** Returns the subject of a stream, such as `pets/7`; undefined if its category is not published. */
  toSubject(stream: string): { readonly subject: string; readonly id: bigint } | undefined {
    const end = stream.lastIndexOf('-');
    const resource = this.resources.find(({ category }) => category === stream.slice(0, end));
    return resource && { subject: `${resource.collection}/${stream.slice(end + 1)}`, id: BigInt(stream.slice(end + 1)) };
  }

  /** Returns the stream of a subject such as `pets/7`; undefined for an invalid subject. */
  toStream(subject: string): string | undefined {
    const [, collection, id] = SUBJECT.exec(subject) ?? [];
    const resource = this.resources.find((each) => each.collection === collection);
    return resource && `${resource.category}-${id}`;
  }
}

/** A public name begins with the category of its streams. */
function findResource({ as }: PublishedForm, resources: readonly PublicResource[]): PublicResource {
  const resource = resources.find(({ category }) => as.startsWith(`${category}.`));
  if (!resource) throw new Error(`Nobody publishes the streams of ${as}.`);
  return resource;
}
