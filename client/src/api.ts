import type * as Wire from './wire.ts';

/** The HTTP interface, one method for each endpoint (interface 4, docs `/docs`). All throw `DoormanError`. */
export interface Api {
  register(body: Wire.RegisterBody): Promise<Wire.Registered>;
  login(body: Wire.LoginBody): Promise<Wire.LoggedIn>;
  /** A fresh token of the same session; `Doorman` does so by itself. */
  freshToken(): Promise<Wire.FreshToken>;
  logout(): Promise<void>;
  sessions(): Promise<Wire.SessionEntry[]>;
  endSession(id: string): Promise<void>;
  changePassword(body: Wire.ChangePasswordBody): Promise<void>;

  /** A page of everybody, oldest first. `next` is where the next one starts; absent on the last. */
  users(query?: {
    /** How the username or nickname starts. */
    q?: string;
    online?: boolean;
    /** 1 to 1000. */
    limit?: number;
    after?: string;
  }): Promise<{ users: Wire.DirectoryEntry[]; next?: string }>;
  profileOf(userId: string): Promise<Wire.PublicProfile>;
  updateProfile(body: Wire.ProfileBody): Promise<Wire.OwnUser>;
  updateSettings(body: Wire.SettingsBody): Promise<Wire.Settings>;

  block(userId: string): Promise<Wire.BlockedUser>;
  unblock(userId: string): Promise<void>;
  blocked(): Promise<Wire.BlockedUser[]>;

  sendMessage(body: Wire.SendBody): Promise<Wire.Stored>;
  history(fields: Wire.HistoryFields): Promise<Wire.HistoryPage>;
  markRead(body: Wire.MarkBody): Promise<Wire.MarkedAnswer>;
  conversations(): Promise<Wire.Conversation[]>;

  friends(): Promise<Wire.FriendEntry[]>;
  friend(
    act: 'request' | 'cancel' | 'accept' | 'decline' | 'remove',
    userId: string,
  ): Promise<Wire.FriendAnswer>;
  snapshot(): Promise<Wire.Snapshot>;

  pushKey(): Promise<string>;
  pushSubscribe(subscription: Wire.Subscription): Promise<void>;
  /**
   * What each push service said within three seconds.
   *
   * @param deviceId only this one; left out: all
   * @throws {DoormanError} 404 if no such device is stored
   */
  pushTest(deviceId?: string): Promise<Wire.PushLogEntry[]>;
  pushLog(): Promise<Wire.PushLogEntry[]>;
  pushDevices(): Promise<Wire.PushDevice[]>;
  pushUnsubscribe(which: Wire.UnsubscribeBody): Promise<void>;
}
