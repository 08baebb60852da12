<?php

namespace Tillseal\Error;

/** The outbox's file cannot be read or written. Thrown by `sell`: nothing was sent. */
final class OutboxException extends TillsealException {}
