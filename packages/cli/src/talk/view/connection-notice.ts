/** Text for a lost connection, and for one that is back. */
export const CONNECTION_LOST = "Connection lost; reconnecting. No messages are lost.";
export const RECONNECTED = "Reconnected.";
