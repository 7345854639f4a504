import { categoryOf } from '#libs/public-events';
import type { DomainModule } from './domain-module.js';

/** What of a module tells which of its events leave the service. */
type Publishing = Pick<DomainModule, 'name' | 'events' | 'publishes'>;

/** Event types of which nobody has said whether they leave the service, and those that leave it with no form for their data. */
export function publicationFaults(modules: readonly Publishing[]): string[] {
  const categories = new Set(modules.flatMap(({ publishes = [] }) => publishes.map(({ category }) => category)));
  return modules.flatMap(({ name, events = {} }) =>
    Object.entries(events).flatMap(([type, { published }]) => {
      // The compiler asks for it, but what is asserted, or was compiled by another, may be without.
      if ((published as unknown) === undefined) return [unsaid(type, name)];
      if (published === false || categories.has(categoryOf(published))) return [];
      return [`The event type ${type} of ${name} is published as ${published.as}, but no module publishes ${categoryOf(published)}.`];
    }),
  );
}

function unsaid(type: string, module: string): string {
  return `The event type ${type} of ${module} does not say whether it leaves the service: give it published: false, or its public form.`;
}
