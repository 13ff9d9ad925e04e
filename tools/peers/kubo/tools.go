//go:build tools

// Package peers pins the version of Kubo that tests compare against.
package peers

import _ "github.com/ipfs/kubo/cmd/ipfs"
