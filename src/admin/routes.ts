import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { messageRoutes } from './message-routes.ts';
import { presenceRoutes } from './presence-routes.ts';
import { relationRoutes } from './relation-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { userRoutes } from './user-routes.ts';

/** What a product's backend does by its API key: each route needs a right of the key. */
export async function adminRoutes(app: App, services: Services): Promise<void> {
  userRoutes(app, services);
  presenceRoutes(app, services);
  sessionRoutes(app, services);
  relationRoutes(app, services);
  messageRoutes(app, services);
}
