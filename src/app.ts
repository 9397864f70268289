import { addressRoutes } from './accounts/address/routes.ts';
import { recoveryRoutes } from './accounts/recovery/routes.ts';
import { accountRoutes } from './accounts/routes.ts';
import { adminRoutes } from './admin/routes.ts';
import { chatFrames } from './chat/frames.ts';
import { chatRoutes } from './chat/routes.ts';
import { directoryRoutes } from './directory/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { guardRequests } from './http/authenticate.ts';
import { openRequestLog } from './http/log/request-log.ts';
import { type App, openServer } from './http/server.ts';
import { exportRoutes } from './leaving/export/routes.ts';
import { leavingRoutes } from './leaving/routes.ts';
import { pageRoutes } from './page/routes.ts';
import { pictureRoutes } from './pictures/routes.ts';
import { presenceFrames } from './presence/frames.ts';
import { avatarRoutes, profileRoutes } from './profiles/routes.ts';
import { quietRoutes } from './push/quiet/routes.ts';
import { pushRoutes } from './push/routes.ts';
import { blockRoutes } from './relations/block-routes.ts';
import { friendFrames } from './relations/frames.ts';
import { friendRoutes } from './relations/friend-routes.ts';
import { reportRoutes } from './reports/routes.ts';
import type { Services } from './services.ts';
import { settingsRoutes } from './settings/routes.ts';
import type { RoomFrames } from './sockets/frames.ts';
import { socketRoutes } from './sockets/routes.ts';
import { syncFrames } from './sync/frames.ts';
import { syncRoutes } from './sync/routes.ts';

/**
 * The table of contents: every room that clients can call, with its routes and frames.
 *
 * @param watch gets the server before any route, to add what measures all of them
 */
export async function buildApp(services: Services, watch?: (app: App) => void): Promise<App> {
  const { accounts, config, limits, log } = services;
  const requestLog = config.logRequests ? openRequestLog(log, config.trustProxy) : null;
  const app = openServer(log, { requestLog, origins: config.origins, trustProxy: config.trustProxy });
  watch?.(app);
  app.hooks.countRefusal = limits.securityLog.refused;
  guardRequests(app, { ...accounts, limits });
  app.register(accountRoutes, services); // register, login, change-password, password-link; token, logout, sessions
  app.register(addressRoutes, services); // the verified address; confirming a session by the password
  app.register(recoveryRoutes, services); // forgotten password, the link that ends a session
  app.register(leavingRoutes, services); // deletion of the own account, and its end
  app.register(profileRoutes, services); // own profile, public profiles
  app.register(avatarRoutes, services); // pictures of users
  app.register(settingsRoutes, services); // push and do-not-disturb
  app.register(directoryRoutes, services); // all users, and who is online
  app.register(blockRoutes, services); // blocks of users
  app.register(chatRoutes, services); // 1:1 messages, history, search, marks, conversations
  app.register(pictureRoutes, services); // uploads of pictures for messages, and their bytes
  app.register(friendRoutes, services); // friends and requests
  app.register(reportRoutes, services); // reports of users to the operator
  app.register(syncRoutes, services); // the snapshot from which a device starts
  app.register(exportRoutes, services); // the download of a user's data
  app.register(adminRoutes, services); // what a product's backend does by its API key
  app.register(pushRoutes, services); // public key, subscriptions, devices, test send, log, receipts
  app.register(quietRoutes, services); // quiet hours
  const frames: RoomFrames = {
    ...chatFrames(services), // send, mark, history, search, conversations, message_request, typing
    ...friendFrames(services), // friend, friends
    ...presenceFrames(services), // watch, view
    ...syncFrames(services), // ack, sync
  };
  app.register(socketRoutes, { ...services, frames, requestLog }); // the socket at /ws: hello, events, heartbeat, close
  app.register(pageRoutes, services); // the built page at /
  app.register(healthRoutes, services); // healthz, readyz, openapi.json, docs
  await app.ready();
  return app;
}
