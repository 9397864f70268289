import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { presenceRoutes } from './presence-routes.ts';

/** What a product's backend does by its API key: each route needs a right of the key. */
export async function adminRoutes(app: App, services: Services): Promise<void> {
  presenceRoutes(app, services);
}
