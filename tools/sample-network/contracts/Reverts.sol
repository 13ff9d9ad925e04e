// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Fails in every way that a contract can.
contract Reverts {
    error Custom(uint256 code, string text);

    uint256[] private list;

    function withReason() external pure {
        revert("the reason");
    }

    function withoutReason() external pure {
        revert();
    }

    function withCustomError() external pure {
        revert Custom(42, "details");
    }

    function withRawData() external pure {
        assembly {
            mstore(0, hex"deadbeef")
            revert(0, 4)
        }
    }

    function byAssert() external pure {
        assert(false);
    }

    function byOverflow(uint256 value) external pure returns (uint256) {
        return type(uint256).max + value;
    }

    function byDivision(uint256 value) external pure returns (uint256) {
        return 1 / value;
    }

    function byIndex(uint256 index) external view returns (uint256) {
        return list[index];
    }

    function byPop() external {
        list.pop();
    }

    function byInvalidOpcode() external pure {
        assembly {
            invalid()
        }
    }
}
