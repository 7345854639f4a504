import { withProgressBar, type CommandRegistration } from '#libs/cli-kit';
import { ProjectionPruning, ProjectionRebuilder, ProjectionStatuses } from '#libs/projections';

/** Adds `projections status|rebuild|prune`. */
export const registerProjectionsCommands: CommandRegistration = (program, context) => {
  const projections = program.command('projections').description('look at and rebuild the tables that answer queries');
  projections
    .command('status')
    .description('print how far each projection is, in every version that a build has left')
    .action(async () => {
      const application = await context.application();
      context.printJson(await application.get(ProjectionStatuses, { strict: false }).all());
    });
  projections
    .command('rebuild <name>')
    .description('build a projection anew from the log, beside the live one, and switch; the service goes on serving')
    .action(async (name: string) => {
      const application = await context.application();
      await withProgressBar('rebuilding', (onProgress) =>
        application.get(ProjectionRebuilder, { strict: false }).rebuild(name, onProgress),
      );
      const statuses = await application.get(ProjectionStatuses, { strict: false }).all();
      context.printJson(statuses.find((status) => status.used && status.name === name));
    });
  projections
    .command('prune')
    .description('remove the tables of versions that this build does not use; one that is still running builds its own anew')
    .action(async () => {
      const application = await context.application();
      context.printJson({ pruned: await application.get(ProjectionPruning, { strict: false }).prune() });
    });
};
