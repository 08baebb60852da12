<?php

namespace Tillseal\Error;

/** A webhook is not genuine, or too old: answer 400. */
final class WebhookException extends TillsealException {}
